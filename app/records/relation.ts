import type { BelongsTo } from '@adonisjs/lucid/types/relations'

import type { ModelClass, RecordModel } from './model.js'

/** How a record belongs to another one. */
export interface BelongsToOptions<Column extends string = string> {
  /** The column with the other record's id. */
  readonly foreignKey: Column
  /** Whether the record is removed with the other one, as the foreign key in the database has it. */
  readonly onDelete?: 'cascade'
}

type Related<M extends ModelClass, Id> = BelongsTo<M> | Extract<Id, null>
type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : false) : false

/**
 * A relation to one record of another model. It may be null where the id may be.
 */
export function belongsTo<M extends ModelClass, Column extends string>(
  related: () => M,
  options: BelongsToOptions<Column>
) {
  return <
    Model extends RecordModel & { [Id in Column]: string | null },
    Name extends keyof Model & string,
  >(
    record: Model,
    name: Name & (Same<Model[Name], Related<M, Model[Column]>> extends true ? unknown : never)
  ): void => {
    const model = record.constructor as ModelClass
    const { foreignKey } = options
    model.boot()
    model.$addRelation(name, 'belongsTo', related, { foreignKey, meta: options })
  }
}

/** The relations of a model to one other record, in the order in which they are declared. */
export function belongsToRelations(model: ModelClass) {
  return [...model.$relationsDefinitions.values()]
    .filter(({ type }) => type === 'belongsTo')
    .map((relation) => ({
      name: relation.relationName,
      to: () => relation.relatedModel() as ModelClass,
      ...(relation as unknown as { meta: BelongsToOptions }).meta,
    }))
}
