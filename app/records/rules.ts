import vine from '@vinejs/vine'
import type { SchemaTypes } from '@vinejs/vine/types'

/** An id, in the way the database writes it however it was sent, so that it can be compared with those of records. */
export const id = () => vine.string().uuid().toLowerCase()

/** What an update may say: any of what a creation says, but for what is fixed from then on. */
export const changes = <
  Rules extends Record<string, SchemaTypes>,
  Fixed extends keyof Rules = never,
>(
  rules: Rules,
  fixed: readonly Fixed[] = []
) => vine.object(rules).partial().omit(fixed)
