import { clock } from '#kernel/clock'

export interface FailedCheck {
  name: string
  reason: string
}

type Check = () => Promise<void>

const CHECK_LIMIT_MS = 2_000
/** How long the result of an optional check is reused. */
const FRESH_MS = 2_000

/** Required and optional dependencies of this process. Each part of the program registers checks of its own. */
export class Health {
  readonly #checks = new Map<string, Check>()
  readonly #probes = new Map<string, Probe>()

  /** Adds a check that throws while a dependency is unavailable; the returned function removes it. */
  watch(name: string, check: Check): () => void {
    this.#checks.set(name, check)
    return () => this.#checks.delete(name)
  }

  /** Like `watch`, for an optional dependency: without it the process is degraded but ready. */
  watchOptional(name: string, check: Check): () => void {
    this.#probes.set(name, new Probe(name, check))
    return () => this.#probes.delete(name)
  }

  /** The failing required checks with their reasons. */
  async failing(): Promise<FailedCheck[]> {
    const results = await Promise.all([...this.#checks].map(([name, check]) => run(name, check)))
    return results.filter((result) => result !== undefined)
  }

  /** The failing optional checks, from results that may be a few seconds old. */
  async degraded(): Promise<FailedCheck[]> {
    const results = await Promise.all([...this.#probes.values()].map((probe) => probe.state()))
    return results.filter((result) => result !== undefined)
  }
}

export const health = new Health()

/** Caches the result of a check and refreshes it in the background, which limits the load on the dependency. */
class Probe {
  readonly #name: string
  readonly #check: Check
  #latest: { readonly result: FailedCheck | undefined; readonly at: number } | undefined
  #running: Promise<FailedCheck | undefined> | undefined

  constructor(name: string, check: Check) {
    this.#name = name
    this.#check = check
  }

  async state(): Promise<FailedCheck | undefined> {
    const isStale = !this.#latest || clock.now() - this.#latest.at >= FRESH_MS
    if (isStale) {
      this.#running ??= this.#refresh()
    }
    return this.#latest ? this.#latest.result : this.#running
  }

  async #refresh(): Promise<FailedCheck | undefined> {
    const result = await run(this.#name, this.#check)
    this.#latest = { result, at: clock.now() }
    this.#running = undefined
    return result
  }
}

async function run(name: string, check: Check): Promise<FailedCheck | undefined> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer within 2 s')), CHECK_LIMIT_MS)
  })
  try {
    await Promise.race([check(), limit])
    return undefined
  } catch (error) {
    return {
      name,
      reason: (error as Error).message || (error as NodeJS.ErrnoException).code || 'unknown',
    }
  } finally {
    clearTimeout(timer)
  }
}
