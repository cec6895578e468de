import vine from '@vinejs/vine'

import type { Column } from '#records/column'

const SLUG = /^[a-z0-9-_.]{3,128}$/

const isSlug = vine.createRule((value, _options: undefined, field) => {
  if (typeof value === 'string' && !SLUG.test(value)) {
    field.report(
      'A name has 3 to 128 characters: letters, digits, hyphens, underscores and dots',
      'slug',
      field
    )
  }
})

const slug = () => vine.string().trim().toLowerCase().use(isSlug())

/**
 * The name of a record that may do without one: left out, null or blank, it is made up when the record is created
 * (`generatedName`). What is sent is trimmed and put into lower case.
 */
export const slugName: Column['body'] = {
  create: slug().parse(nullForBlank).nullable().optional(),
  update: slug().optional(),
}

function nullForBlank(value: unknown): unknown {
  return typeof value === 'string' && value.trim() === '' ? null : value
}
