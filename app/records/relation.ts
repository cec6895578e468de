import type { BelongsTo } from '@adonisjs/lucid/types/relations'

import type { ModelClass, RecordModel } from './model.js'

/** The options of a relation. */
export interface BelongsToOptions<Column extends string = string> {
  /** The column with the related record's id. */
  readonly foreignKey: Column
  /** Whether the record is deleted with the related one. Matches the foreign key in the database. */
  readonly onDelete?: 'cascade'
}

type Related<M extends ModelClass, Id> = BelongsTo<M> | Extract<Id, null>
type Same<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : false) : false

/** A relation to one record of another model. It is nullable if its foreign key is. */
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

/** The `belongsTo` relations of a model in the order of declaration. */
export function belongsToRelations(model: ModelClass) {
  return [...model.$relationsDefinitions.values()]
    .filter(({ type }) => type === 'belongsTo')
    .map((relation) => ({
      name: relation.relationName,
      to: () => relation.relatedModel() as ModelClass,
      ...(relation as unknown as { meta: BelongsToOptions }).meta,
    }))
}
