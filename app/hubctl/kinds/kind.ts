import type { SurfaceName } from '#configuration/surfaces'
import type { JsonSchema } from '#kernel/json_schema'

/** A kind of record that a platform says it has. */
export interface Kind {
  /** In kebab case: `project-node`. */
  readonly name: string
  /** As its path says it: `project-nodes`. */
  readonly plural: string
  readonly service: SurfaceName
  readonly path: string
  readonly isReadable: boolean
  readonly isRemovable: boolean
  /** Whether a record that others use is deleted only where that is said. */
  readonly isForcible: boolean
  /** What is shown of it, where the platform says it. */
  readonly record: JsonSchema | undefined
  /** The body it is made with; undefined where it is not made through the interface. */
  readonly create: JsonSchema | undefined
  readonly update: JsonSchema | undefined
}

/** The path of one record. Ids are texts of others, too. */
export function pathOf({ path }: Pick<Kind, 'path'>, id: string): string {
  return `${path}/${encodeURIComponent(id)}`
}

/** The attributes that a body may have, with what each may hold. */
export function propertiesOf(schema: JsonSchema | undefined): Readonly<Record<string, JsonSchema>> {
  return (schema?.properties ?? {}) as Record<string, JsonSchema>
}
