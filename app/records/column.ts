import type { SchemaTypes } from '@vinejs/vine/types'

import type { Property } from '#query/declaration'
import { seal, unseal, type Purpose } from '#records/sealing'

/** A rule of a body; Vine's rules can be copied, so that one rule serves creates and updates. */
type Rule = SchemaTypes & { clone(): Rule; optional(): SchemaTypes }

/**
 * A column of a kind: how it is stored and shown, and what a client may write into it.
 */
export interface Column extends Property {
  /** Shown only to those who ask for it by name. */
  readonly optIn?: boolean
  /** Makes a secret that is kept encrypted readable, for those it is shown to; null where its key is gone. */
  readonly unseal?: (stored: string) => Promise<string | null>
  /** For what a secret is sealed whenever it is stored; whoever writes it and is told of it handles what was sent. */
  readonly sealedFor?: Purpose
  readonly body?: { readonly create?: SchemaTypes; readonly update?: SchemaTypes }
}

type Traits = Omit<Column, 'type'>

const columnOf =
  (type: Column['type']) =>
  (traits: Traits = {}): Column => ({ type, ...traits })

export const column = {
  uuid: columnOf('uuid'),
  text: columnOf('text'),
  boolean: columnOf('boolean'),
  integer: columnOf('integer'),
  bigint: columnOf('bigint'),
  timestamp: columnOf('timestamp'),
  json: columnOf('json'),
  jsonText: columnOf('jsonText'),
  /** A secret that stands sealed in the database. */
  sealed: (purpose: Purpose, traits: Traits = {}): Column => ({
    type: 'text',
    secret: true,
    sealedFor: purpose,
    unseal: async (stored) => unseal(purpose, stored),
    ...traits,
  }),
}

/** What is stored for a value of a column. */
export const stored = ({ sealedFor }: Column, value: unknown): unknown =>
  sealedFor && typeof value === 'string' ? seal(sealedFor, value) : value

/** The value of a column as it was before it was stored. */
export const opened = ({ sealedFor }: Column, value: unknown): unknown =>
  sealedFor && typeof value === 'string' ? unseal(sealedFor, value) : value

/** What every persisted kind has. */
export const timestamps = {
  createdAt: column.timestamp(),
  updatedAt: column.timestamp(),
}

/** An attribute that has to be sent when a record is created and may be sent when it is updated. */
export const required = (rule: Rule): Column['body'] => ({
  create: rule.clone(),
  update: rule.clone().optional(),
})

/** An attribute that may always be left out. */
export const optional = (rule: Rule): Column['body'] => ({
  create: rule.clone().optional(),
  update: rule.clone().optional(),
})

/** An attribute that can be given once, when the record is created. */
export const onlyAtCreation = (rule: SchemaTypes): Column['body'] => ({ create: rule })
