import vine from '@vinejs/vine'

export interface Shape {
  /** Limited to the dialect that all readers of JSON schemas support, since the OpenAPI document repeats it. */
  readonly pattern: RegExp
  /** The rule in one sentence, for callers whose text does not match. */
  readonly description: string
}

/** Checks a text against a pattern. The issue states the rule in words and as the pattern. */
export const shape = vine.createRule(
  function pattern(value, shaped: Shape, field) {
    if (typeof value === 'string' && !shaped.pattern.test(value)) {
      field.report(shaped.description, 'shape', field, { pattern: shaped.pattern.source })
    }
  },
  {
    toJSONSchema(schema, { pattern, description }) {
      schema.pattern = pattern.source
      schema.description = description
    },
  }
)

/** PostgreSQL cannot store this character. */
const WITHOUT_ZERO = {
  // eslint-disable-next-line no-control-regex -- it is the character that is meant
  pattern: /^[^\u0000]*$/,
  description: 'A text must not hold the character U+0000',
}

/** For texts that are stored in the database. */
export const withoutZero = () => shape(WITHOUT_ZERO)
