import { clock } from '#kernel/clock'

export interface FailedCheck {
  name: string
  reason: string
}

type Check = () => Promise<void>

const CHECK_LIMIT_MS = 2_000
/** For how long the state of something is good enough without which requests are answered all the same. */
const FRESH_MS = 5_000

/**
 * What has to work for this process to answer requests, and what it does less without. Each part of the program adds the check of what it
 * depends on.
 */
export class Health {
  readonly #checks = new Map<string, Check>()
  readonly #probes = new Map<string, Probe>()

  /** Adds a check that throws while the thing it looks at is away; the returned function takes it off again. */
  watch(name: string, check: Check): () => void {
    this.#checks.set(name, check)
    return () => this.#checks.delete(name)
  }

  /** As `watch`, for something without which the process stays ready: it is degraded. */
  watchOptional(name: string, check: Check): () => void {
    this.#probes.set(name, new Probe(name, check))
    return () => this.#probes.delete(name)
  }

  /** The checks that fail now, with the reason of each; empty where everything works. */
  async failing(): Promise<FailedCheck[]> {
    const results = await Promise.all([...this.#checks].map(([name, check]) => run(name, check)))
    return results.filter((result) => result !== undefined)
  }

  /** What is away without which the process stays ready; as it was a few seconds ago, for nobody should wait for that. */
  async degraded(): Promise<FailedCheck[]> {
    const results = await Promise.all([...this.#probes.values()].map((probe) => probe.state()))
    return results.filter((result) => result !== undefined)
  }
}

export const health = new Health()

/** A check whose last result is answered while it is made again: whoever asks often does not ask the thing itself as often. */
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
