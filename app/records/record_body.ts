import type { SchemaTypes } from '@vinejs/vine/types'

import { BodyValidator } from '#kernel/body'
import type { Column } from '#records/column'
import type { Values } from '#records/values'

/**
 * What a kind takes as its body. Ids come out of it the way the database writes them, whatever way they were sent, so that
 * they can be compared with those of records.
 */
export class RecordBody extends BodyValidator<Values> {
  readonly #ids: readonly string[]

  constructor(rules: Record<string, SchemaTypes>, columns: Readonly<Record<string, Column>>) {
    super(rules)
    this.#ids = Object.keys(rules).filter((name) => columns[name]?.type === 'uuid')
  }

  override async validate(content: unknown): Promise<Values> {
    const values = await super.validate(content)
    const sent = this.#ids.filter((name) => typeof values[name] === 'string')
    const ids = sent.map((name) => [name, (values[name] as string).toLowerCase()] as const)
    return { ...values, ...Object.fromEntries(ids) }
  }
}
