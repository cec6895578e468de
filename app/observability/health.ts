export interface Failing {
  name: string
  reason: string
}

type Check = () => Promise<void>

const CHECK_LIMIT_MS = 2_000

/**
 * What has to work for this process to answer requests. Each part of the program adds the check of what it depends on.
 */
export class Health {
  readonly #checks = new Map<string, Check>()

  /** Adds a check that throws while the thing it looks at is away; the returned function takes it off again. */
  watch(name: string, check: Check): () => void {
    this.#checks.set(name, check)
    return () => this.#checks.delete(name)
  }

  /** The checks that fail now, with the reason of each; empty where everything works. */
  async failing(): Promise<Failing[]> {
    const results = await Promise.all([...this.#checks].map(([name, check]) => run(name, check)))
    return results.filter((result) => result !== undefined)
  }
}

export const health = new Health()

async function run(name: string, check: Check): Promise<Failing | undefined> {
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
