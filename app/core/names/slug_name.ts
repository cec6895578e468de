import vine from '@vinejs/vine'

const SLUG = /^[a-z0-9-_.]{3,128}$/

/** As it may be sent, before it is trimmed and put into lower case. */
const INPUT_PATTERN = '^ *[A-Za-z0-9_.-]{3,128} *$'
const INPUT_OR_BLANK_PATTERN = '^( *| *[A-Za-z0-9_.-]{3,128} *)$'

const MESSAGE = 'A name has 3 to 128 characters: letters, digits, hyphens, underscores and dots'

const isSlug = vine.createRule(
  (value, _inputPattern: string, field) => {
    if (typeof value === 'string' && !SLUG.test(value)) {
      field.report(MESSAGE, 'slug', field)
    }
  },
  {
    toJSONSchema(schema, inputPattern) {
      schema.pattern = inputPattern
      schema.description = MESSAGE
    },
  }
)

const slug = (inputPattern: string) => vine.string().trim().toLowerCase().use(isSlug(inputPattern))

/**
 * The name of a new record that may do without one: left out, null or blank, it is made up when the record is created
 * (`generatedName`). What is sent is trimmed and put into lower case.
 */
export const newSlugName = slug(INPUT_OR_BLANK_PATTERN).parse(nullForBlank).nullable().optional()

/** The name of a record that has one. */
export const slugName = slug(INPUT_PATTERN).optional()

function nullForBlank(value: unknown): unknown {
  return typeof value === 'string' && value.trim() === '' ? null : value
}
