import vine from '@vinejs/vine'

export interface Shape {
  /** In the dialect that all readers of JSON schemas share, since the OpenAPI document repeats it. */
  readonly pattern: RegExp
  /** What a text has to look like, in a sentence for the caller who sent another one. */
  readonly description: string
}

/** Holds a text to a pattern; a text that fails it is told what is allowed, in words and as the pattern. */
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

/** The one character that the database cannot store. */
const WITHOUT_ZERO = {
  // eslint-disable-next-line no-control-regex -- it is the character that is meant
  pattern: /^[^\u0000]*$/,
  description: 'A text must not hold the character U+0000',
}

/** For texts that go into the database as they are. */
export const withoutZero = () => shape(WITHOUT_ZERO)
