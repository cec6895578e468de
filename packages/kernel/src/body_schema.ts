import type { JsonSchema } from './json_schema.js'

/** The part of Vine's compiled schema that completes the JSON schema. */
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
 * The JSON schema (2020-12) of what a validator accepts. Vine's own schema omits dates, treats nullable attributes as
 * optional, forbids unknown attributes and writes tuples as draft 7 does.
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
      return completedUnion(schema, node)
    default:
      return completedValue(schema, node)
  }
}

function completedObject(schema: JsonSchema, { properties = [] }: CompiledNode): JsonSchema {
  const { additionalProperties, required, ...rest } = schema
  const attributes = schema.properties as Record<string, JsonSchema>
  const needed = properties.filter((node) => !canBeLeftOut(node)).map(({ fieldName }) => fieldName)
  return {
    ...rest,
    properties: Object.fromEntries(
      properties.map((node) => [node.fieldName, completed(attributes[node.fieldName]!, node)])
    ),
    ...(needed.length > 0 && { required: needed }),
  }
}

function canBeLeftOut({ isOptional, conditions = [] }: CompiledNode): boolean {
  return isOptional ?? conditions.some(({ schema }) => canBeLeftOut(schema))
}

function completedTuple(schema: JsonSchema, { properties = [] }: CompiledNode): JsonSchema {
  const { additionalItems, items, ...rest } = schema
  return { ...rest, prefixItems: completedEach(items, properties) }
}

/** Vine represents an optional union by an additional member. */
function completedUnion(schema: JsonSchema, { conditions = [] }: CompiledNode): JsonSchema {
  const members = conditions.map((one) => one.schema)
  const completedMembers = completedEach(schema.anyOf, members)
  return { ...schema, anyOf: completedMembers.filter((_, index) => !canBeLeftOut(members[index]!)) }
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
