import type { JsonSchema } from '#http/surface'

/** What Vine compiles a schema to, as far as its JSON schema is completed from it. */
interface CompiledNode {
  type: string
  subtype?: string
  fieldName: string
  allowNull?: boolean
  isOptional?: boolean
  properties?: CompiledNode[]
  each?: CompiledNode
  conditions?: { schema: CompiledNode }[]
}

interface CompiledValidator {
  toJSONSchema(): object
  toJSON(): { schema: { schema: unknown } }
}

/**
 * The JSON schema (2020-12) of what a validator accepts. Vine's own leaves out dates, forgets that an attribute that may
 * be null can still be required, closes objects whose unknown attributes are ignored, and writes tuples as draft 7 does.
 */
export function bodySchema(validator: CompiledValidator): JsonSchema {
  const root = validator.toJSON().schema.schema as CompiledNode
  return completed(validator.toJSONSchema() as JsonSchema, root)
}

function completed(schema: JsonSchema, node: CompiledNode): JsonSchema {
  switch (node.type) {
    case 'object':
      return completedObject(schema, node)
    case 'array':
      return { ...schema, items: completed(schema.items as JsonSchema, node.each!) }
    case 'record':
      return {
        ...schema,
        additionalProperties: completed(schema.additionalProperties as JsonSchema, node.each!),
      }
    case 'tuple':
      return completedTuple(schema, node)
    case 'union':
      return { ...schema, anyOf: completedEach(schema.anyOf, node.conditions!.map((one) => one.schema)) }
    default:
      return completedValue(schema, node)
  }
}

function completedObject(schema: JsonSchema, { properties = [] }: CompiledNode): JsonSchema {
  const { additionalProperties, required, ...rest } = schema
  const known = schema.properties as Record<string, JsonSchema>
  const named = required as string[]
  const names = properties
    .filter(({ fieldName, allowNull, isOptional }) => named.includes(fieldName) || (allowNull && !isOptional))
    .map(({ fieldName }) => fieldName)
  return {
    ...rest,
    properties: {
      ...known,
      ...Object.fromEntries(properties.map((node) => [node.fieldName, completed(known[node.fieldName]!, node)])),
    },
    ...(names.length > 0 && { required: names }),
  }
}

function completedTuple(schema: JsonSchema, { properties = [] }: CompiledNode): JsonSchema {
  const { additionalItems, items, ...rest } = schema
  return { ...rest, prefixItems: completedEach(items, properties) }
}

function completedEach(schemas: unknown, nodes: readonly CompiledNode[]): JsonSchema[] {
  return (schemas as JsonSchema[]).map((schema, index) => completed(schema, nodes[index]!))
}

function completedValue(schema: JsonSchema, { subtype, allowNull }: CompiledNode): JsonSchema {
  if (subtype === 'any') {
    const { anyOf, ...rest } = schema
    return rest
  }
  const hasType = schema.type !== undefined && schema.type !== 'null'
  if (subtype === 'date' && !hasType) {
    return { format: 'date-time', ...schema, type: allowNull ? ['string', 'null'] : 'string' }
  }
  return schema
}
