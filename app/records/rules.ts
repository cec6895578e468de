import vine from '@vinejs/vine'
import type { SchemaTypes } from '@vinejs/vine/types'

/** An id in lowercase, as PostgreSQL writes it, so that it can be compared with stored ids. */
export const id = () => vine.string().uuid().toLowerCase()

/** The rules of an update: those of a creation, all optional, without the immutable attributes. */
export const changes = <
  Rules extends Record<string, SchemaTypes>,
  Fixed extends keyof Rules = never,
>(
  rules: Rules,
  fixed: readonly Fixed[] = []
) => vine.object(rules).partial().omit(fixed)
