import type { JsonSchema } from '#kernel/json_schema'

const ID = '6f1c1c5e-2f0c-4c0e-9d1a-3b8e5a7d9c42'

/** Values by attribute name, where the type alone gives no valid or useful one. */
const VALUES: Readonly<Record<string, unknown>> = {
  name: 'example',
  externalName: 'hospital-a',
  path: 'main.py',
  refType: 'analysis',
  realmName: 'master',
  secret: 'choose-a-random-secret',
  client_secret: 'choose-a-random-secret',
  data: { round: 1 },
  service: 'core',
  message: 'Counted 120 patients',
  level: 'info',
  grant_type: 'client_credentials',
  token: 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIxIn0.c2ln',
}

/** Optional attributes without which a body would show too little. */
const ALSO: ReadonlySet<string> = new Set([
  'client_id',
  'client_secret',
  'data',
  'id',
  'level',
  'message',
])

/** The values of attributes whose format states them. */
const FORMATS: Readonly<Record<string, unknown>> = {
  'uuid': ID,
  'email': 'maria@example.org',
  'date-time': '2026-01-31T12:00:00Z',
}

const PRIMITIVES: Readonly<Record<string, unknown>> = { string: ID, integer: 1, boolean: true }

/** A valid body: its required attributes and those that explain it, or else the first one. */
export function bodyExample({ required = [], properties = {} }: JsonSchema): JsonSchema {
  const attributes = Object.entries(properties as Record<string, JsonSchema>)
  const needed = new Set(required as string[])
  const shown =
    needed.size > 0
      ? attributes.filter(([name]) => needed.has(name) || ALSO.has(name))
      : attributes.slice(0, 1)
  return Object.fromEntries(shown.map(([name, schema]) => [name, exampleValue(name, schema)]))
}

function exampleValue(name: string, schema: JsonSchema): unknown {
  const { anyOf, examples = schema.enum, format, items } = schema
  const [type] = [schema.type].flat()
  if (typeof format === 'string' && format in FORMATS) {
    return FORMATS[format]
  }
  if (Object.hasOwn(VALUES, name)) {
    return VALUES[name]
  }
  if (Array.isArray(anyOf)) {
    return exampleValue(name, anyOf[0])
  }
  if (Array.isArray(examples)) {
    return examples[0]
  }
  if (type === 'array') {
    return [exampleValue(name, items as JsonSchema)]
  }
  return type === 'object' ? bodyExample(schema) : PRIMITIVES[String(type)]
}
