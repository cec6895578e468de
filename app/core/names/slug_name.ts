import vine from '@vinejs/vine'

const SLUG = /^[a-z0-9-_.]{3,128}$/

/** The valid input, before it is trimmed and converted to lower case. */
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
 * The optional name of a new record. If it is missing, null or blank, `generateName` creates one. Input is trimmed and
 * converted to lower case.
 */
export const newSlugName = slug(INPUT_OR_BLANK_PATTERN).parse(nullForBlank).nullable().optional()

/** The name of an existing record. */
export const slugName = slug(INPUT_PATTERN).optional()

function nullForBlank(value: unknown): unknown {
  return typeof value === 'string' && value.trim() === '' ? null : value
}
