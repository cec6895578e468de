export type JsonSchema = Record<string, unknown>

/** An object that has all of these, and nothing else. */
export const exactly = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
  additionalProperties: false,
})

/** An answer as most are: what was asked for, and nothing to say about it. */
export const answering = (data: JsonSchema): JsonSchema =>
  exactly({ data, meta: { type: 'object', additionalProperties: false } })
