import vine from '@vinejs/vine'

const SLUG = /^[a-z0-9-_.]{3,128}$/

/** As it may be sent, before it is trimmed and put into lower case. */
const SENT = '^ *[A-Za-z0-9_.-]{3,128} *$'
const SENT_OR_BLANK = '^( *| *[A-Za-z0-9_.-]{3,128} *)$'

const SAYS = 'A name has 3 to 128 characters: letters, digits, hyphens, underscores and dots'

const isSlug = vine.createRule(
  (value, _sent: string, field) => {
    if (typeof value === 'string' && !SLUG.test(value)) {
      field.report(SAYS, 'slug', field)
    }
  },
  {
    toJSONSchema(schema, sent) {
      schema.pattern = sent
      schema.description = SAYS
    },
  }
)

const slug = (sent: string) => vine.string().trim().toLowerCase().use(isSlug(sent))

/**
 * The name of a new record that may do without one: left out, null or blank, it is made up when the record is created
 * (`generatedName`). What is sent is trimmed and put into lower case.
 */
export const newSlugName = slug(SENT_OR_BLANK).parse(nullForBlank).nullable().optional()

/** The name of a record that has one. */
export const slugName = slug(SENT).optional()

function nullForBlank(value: unknown): unknown {
  return typeof value === 'string' && value.trim() === '' ? null : value
}
