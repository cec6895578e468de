import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import vine from '@vinejs/vine'
import type { DateTime } from 'luxon'

import { requires } from '#kernel/access'
import { body } from '#kernel/body'
import { chosenSecret } from '#auth/chosen_secret'
import { clientName } from '#auth/client_name'
import { logoutUri, redirectUris } from './redirect_uris.js'
import { revealsClientSecret } from './secret_access.js'
import { readSecret } from '#identity/embedded/client_secrets'
import { address, description, flag, label, reference, wordList } from '#identity/embedded/rules'
import { NAMED_IN_REALM } from '#identity/embedded/named_in_realm'
import { Realm } from '#identity/realms/realm'
import { column } from '#records/column'
import { defineKind } from '#records/kind'
import { RecordModel } from '#records/model'
import { belongsTo } from '#records/relation'
import { changes } from '#records/rules'

export const AUTH_METHODS = ['none', 'secret', 'tls'] as const
export const TOKEN_BINDING_METHODS = ['none', 'tls'] as const

const rules = {
  name: clientName,
  displayName: label,
  description,
  redirectUri: redirectUris,
  active: flag,
  secret: chosenSecret(256).nullable().optional(),
  grantTypes: wordList,
  scope: wordList,
  baseUrl: address,
  rootUrl: address,
  backchannelLogoutUri: logoutUri,
  postLogoutRedirectUri: redirectUris,
  authMethod: vine.enum(AUTH_METHODS).optional(),
  tokenBindingMethod: vine.enum(TOKEN_BINDING_METHODS).optional(),
  realmId: reference,
  isConfidential: flag,
  secretHashed: flag,
  secretEncrypted: flag,
}

export const createClient = body(rules)
export const updateClient = body(changes(rules, ['realmId']))

export class Client extends RecordModel {
  static override connection = 'identity'
  static override table = 'clients'

  @column.uuid() declare id: string
  @column.text() declare name: string
  @column.boolean() declare builtIn: boolean
  @column.text({ nullable: true }) declare displayName: string | null
  @column.text({ nullable: true }) declare description: string | null
  @column.text({ nullable: true }) declare redirectUri: string | null
  @column.boolean() declare active: boolean
  /** Encrypted, for callers that may read it. Logins are compared with the digest. */
  @column.text({ nullable: true, secret: true, unseal: readSecret }) declare secret: string | null
  @column.text({ nullable: true, secret: true, internal: true }) declare secretDigest: string | null
  /** Incremented by the database when the secret is replaced or the client is deactivated. Older tokens are invalid. */
  @column.integer({ internal: true }) declare tokenGeneration: number
  @column.boolean() declare secretHashed: boolean
  @column.boolean() declare secretEncrypted: boolean
  @column.text({ nullable: true }) declare grantTypes: string | null
  @column.text({ nullable: true }) declare scope: string | null
  @column.text({ nullable: true }) declare baseUrl: string | null
  @column.text({ nullable: true }) declare rootUrl: string | null
  /** Receives a logout token for each session of the client that ends. */
  @column.text({ nullable: true }) declare backchannelLogoutUri: string | null
  @column.text({ nullable: true }) declare postLogoutRedirectUri: string | null
  @column.oneOf(AUTH_METHODS) declare authMethod: (typeof AUTH_METHODS)[number]
  @column.oneOf(TOKEN_BINDING_METHODS)
  declare tokenBindingMethod: (typeof TOKEN_BINDING_METHODS)[number]
  @column.uuid() declare realmId: string
  @column.timestamp() declare createdAt: DateTime
  @column.timestamp() declare updatedAt: DateTime

  @belongsTo(() => Realm, { foreignKey: 'realmId', onDelete: 'cascade' })
  declare realm: BelongsTo<typeof Realm>
}

export const client = defineKind(Client, {
  name: 'client',
  collection: '/clients',
  create: createClient,
  update: updateClient,
  notAsSent: ['isConfidential'],
  ...NAMED_IN_REALM,
  access: {
    create: requires('client_create'),
    update: requires('client_update'),
    remove: requires('client_delete'),
  },
  reveals: revealsClientSecret,
})
