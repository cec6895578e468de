import type pg from 'pg'

interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

type Answer = (statement: Statement) => Promise<Partial<pg.QueryResult>>

/** A pool of connections whose answers a test gives, with the statements it was sent. */
export class FakePool {
  readonly statements: Statement[] = []
  #answer: Answer

  constructor(answer: Answer) {
    this.#answer = answer
  }

  /** As the type of a pool, of which only `query` is there. */
  get asPool(): pg.Pool {
    return this as unknown as pg.Pool
  }

  answerWith(answer: Answer): void {
    this.#answer = answer
  }

  async query(sent: string | { text: string; values?: unknown[] }, values: unknown[] = []) {
    const { text } = typeof sent === 'string' ? { text: sent } : sent
    // A caller may change its values later.
    const statement = structuredClone({
      text,
      values: typeof sent === 'string' ? values : (sent.values ?? []),
    })
    this.statements.push(statement)
    const { rows = [], rowCount = rows.length } = await this.#answer(statement)
    return { rows, rowCount }
  }
}
