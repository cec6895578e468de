import { inspect } from 'node:util'

import { BaseModel, beforeCreate, beforeUpdate } from '@adonisjs/lucid/orm'
import { DateTime } from 'luxon'

import { clock } from '#kernel/clock'

/**
 * A record of a kind, for work that is not on the path of a request: sweeps, commands, tests, the REPL. Its class describes
 * what is stored; requests are served by statements over the same description, which answer plain rows.
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

  /** As it is serialized, so that printing a record shows no secret. */
  [inspect.custom](): object {
    return this.serialize()
  }
}

export type ModelClass = typeof RecordModel
