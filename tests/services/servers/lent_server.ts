import type { RealServer } from './real_server.js'

/** One server for several groups of tests that leave nothing behind on it: the first starts it, and the last one stops it. */
export function lentServer(start: () => Promise<RealServer>, borrowers: number) {
  let server: Promise<RealServer> | undefined
  let left = borrowers
  return {
    borrow: () => (server ??= start()),
    async giveBack(): Promise<void> {
      left--
      if (left === 0) {
        await (await server)?.stop()
      }
    },
  }
}
