import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'

const MICROSECONDS_PER_TICK = 10_000

/** What a process has used of the processor so far, in user and system mode. */
export function cpuMicroseconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * MICROSECONDS_PER_TICK
}

/** Does so much work, so many pieces of it at a time. */
export async function repeat(
  { count, connections }: { count: number; connections: number },
  work: () => Promise<unknown>
): Promise<void> {
  let remaining = count
  const connection = async () => {
    while (remaining-- > 0) {
      await work()
    }
  }
  await Promise.all(Array.from({ length: connections }, connection))
}

/**
 * Asks for one address over and over, or for several in turn, each connection as soon as it has its answer; answers how many
 * requests were made.
 */
export async function load(
  given: string | readonly string[],
  {
    connections,
    seconds,
    token = 'bench',
  }: { connections: number; seconds: number; token?: string }
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const until = performance.now() + seconds * 1_000
  const headers = { authorization: `Bearer ${token}` }
  const urls = [given].flat()
  let requests = 0
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const url = urls[requests % urls.length]!
      get(url, { agent, headers }, (response) => {
        if (response.statusCode !== 200) {
          reject(new Error(`${url} answered ${response.statusCode}`))
        }
        response.resume().once('end', resolve)
      }).once('error', reject)
    })
  const connection = async () => {
    while (performance.now() < until) {
      await one()
      requests++
    }
  }
  await Promise.all(Array.from({ length: connections }, connection))
  agent.destroy()
  return requests
}
