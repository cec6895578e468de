export type JsonSchema = Record<string, unknown>

/** An object that has all of these, and nothing else. */
export const exactObject = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
  additionalProperties: false,
})

/** An answer as most are: what was asked for, and nothing to say about it. */
export const dataResponse = (data: JsonSchema): JsonSchema =>
  exactObject({ data, meta: { type: 'object', additionalProperties: false } })
