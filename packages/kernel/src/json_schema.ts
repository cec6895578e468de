export type JsonSchema = Record<string, unknown>

/** An object with exactly these properties, all required. */
export const exactObject = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
  additionalProperties: false,
})

/** The schema of a response with `data` and an empty `meta`. */
export const dataResponse = (data: JsonSchema): JsonSchema =>
  exactObject({ data, meta: { type: 'object', additionalProperties: false } })
