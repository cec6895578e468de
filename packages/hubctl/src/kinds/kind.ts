import type { SurfaceName } from '#configuration/surfaces'
import type { JsonSchema } from '#kernel/json_schema'

/** A kind of record that a platform publishes. */
export interface Kind {
  /** In kebab case: `project-node`. */
  readonly name: string
  /** As in its path: `project-nodes`. */
  readonly plural: string
  readonly service: SurfaceName
  readonly path: string
  readonly isReadable: boolean
  readonly isRemovable: boolean
  /** Whether deleting a record that others use requires `force`. */
  readonly isForcible: boolean
  /** The schema of a record, if published. */
  readonly record: JsonSchema | undefined
  /** The schema of the body that creates it; undefined if the API cannot create it. */
  readonly create: JsonSchema | undefined
  readonly update: JsonSchema | undefined
}

/** The path of one record. */
export function pathOf({ path }: Pick<Kind, 'path'>, id: string): string {
  return `${path}/${encodeURIComponent(id)}`
}

/** The attributes of a schema. */
export function propertiesOf(schema: JsonSchema | undefined): Readonly<Record<string, JsonSchema>> {
  return (schema?.properties ?? {}) as Record<string, JsonSchema>
}
