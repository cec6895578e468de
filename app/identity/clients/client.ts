import vine from '@vinejs/vine'

import { holding } from '#kernel/access'
import { chosenSecret } from '#auth/chosen_secret'
import { revealsClientSecret } from '#identity/clients/secret_access'
import { redirectUris } from '#identity/clients/redirect_uris'
import { readSecret } from '#identity/embedded/client_secrets'
import { address, description, flag, label, name, wordList } from '#identity/embedded/rules'
import { realm } from '#identity/realms/realm'
import { column, onlyAtCreation, optional, timestamps } from '#records/column'
import { defineKind } from '#records/kind'

export const AUTH_METHODS = ['none', 'secret', 'tls'] as const
export const TOKEN_BINDING_METHODS = ['none', 'tls'] as const

export const client = defineKind({
  name: 'client',
  collection: '/clients',
  table: 'clients',
  columns: {
    id: column.uuid(),
    name: column.text({ body: name }),
    builtIn: column.boolean(),
    displayName: column.text({ nullable: true, body: label }),
    description: column.text({ nullable: true, body: description }),
    redirectUri: column.text({ nullable: true, body: redirectUris }),
    active: column.boolean({ body: flag }),
    /** Encrypted, for those who may read it; a caller's secret is compared with the digest. */
    secret: column.text({
      nullable: true,
      secret: true,
      unseal: readSecret,
      body: optional(chosenSecret(256).nullable()),
    }),
    secretDigest: column.text({ nullable: true, secret: true, internal: true }),
    /** Raised by the database when the secret is replaced or the client is deactivated; older tokens end with that. */
    tokenGeneration: column.integer({ internal: true }),
    secretHashed: column.boolean(),
    secretEncrypted: column.boolean(),
    grantTypes: column.text({ nullable: true, body: wordList }),
    scope: column.text({ nullable: true, body: wordList }),
    baseUrl: column.text({ nullable: true, body: address }),
    rootUrl: column.text({ nullable: true, body: address }),
    authMethod: column.text({ body: optional(vine.enum(AUTH_METHODS)) }),
    tokenBindingMethod: column.text({ body: optional(vine.enum(TOKEN_BINDING_METHODS)) }),
    realmId: column.uuid({ body: onlyAtCreation(vine.string().uuid().nullable().optional()) }),
    ...timestamps,
  },
  unstored: { isConfidential: flag, secretHashed: flag, secretEncrypted: flag },
  relations: { realm: { to: () => realm, goesAlong: true, by: 'realmId', includable: true } },
  filters: ['id', 'name', 'displayName', 'realmId'],
  sorts: ['name', 'createdAt', 'updatedAt'],
  indexes: [
    ['id'],
    ['name', 'realmId'],
    ['displayName'],
    ['realmId'],
    ['createdAt'],
    ['updatedAt'],
  ],
  realm: 'realmId',
  access: {
    create: holding('client_create'),
    update: holding('client_update'),
    remove: holding('client_delete'),
  },
  reveals: revealsClientSecret,
})
