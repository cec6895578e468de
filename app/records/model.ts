import { inspect } from 'node:util'

import { BaseModel, beforeCreate, beforeUpdate } from '@adonisjs/lucid/orm'
import { DateTime } from 'luxon'

import { clock } from '#kernel/clock'

/**
 * The base model of all kinds, for work on few records outside of requests: sweeps, commands, seeds, tests, the REPL.
 * Requests use SQL statements that are derived from the same columns and return plain rows.
 */
export class RecordModel extends BaseModel {
  static override selfAssignPrimaryKey = true

  declare id: string

  @beforeCreate()
  static assignId(record: RecordModel): void {
    record.id ??= clock.uuid()
  }

  @beforeUpdate()
  static noteUpdate(record: RecordModel): void {
    if ((record.constructor as ModelClass).$hasColumn('updatedAt')) {
      record.$setAttribute('updatedAt', DateTime.fromMillis(clock.now()))
    }
  }

  /** Prints the serialized record, which contains no secrets. */
  [inspect.custom](): object {
    return this.serialize()
  }
}

export type ModelClass = typeof RecordModel
