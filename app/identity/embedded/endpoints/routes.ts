import { anyone, loggedIn } from '#kernel/access'
import type { Parameter, SurfaceRoutes } from '#http/surface'
import type { JsonSchema } from '#kernel/json_schema'
import { changeAccount, showAccount } from '#identity/embedded/account/account'
import { authorize, submitLogin } from '#identity/embedded/authorize/authorize'
import { AUTHORIZATION_PARAMETERS } from '#identity/embedded/authorize/authorization_request'
import { tokenBody } from '#identity/embedded/grants/grant'
import { uncached, toOAuthFailure, OAUTH_FAILURE } from '#identity/embedded/oauth/endpoint'
import { showConfiguration, showKeys, showRealmConfiguration, showRealmKeys } from './discovery.js'
import { introspectToken, revokeToken, tokenInBody } from './inspect_token.js'
import { signOut, submitSignOut } from '#identity/embedded/logout/sign_out'
import { LOGOUT_PARAMETERS } from '#identity/embedded/logout/sign_out_request'
import { showMe, showUserinfo } from './user_info.js'
import { issueTokens } from './token.js'

const text: JsonSchema = { type: 'string' }
const object: JsonSchema = { type: 'object' }

const failures = {
  400: {
    description: 'The request is invalid or not allowed; `error` has the OAuth error code',
    schema: OAUTH_FAILURE,
  },
  401: { description: 'The client authentication failed', schema: OAUTH_FAILURE },
  429: {
    description: 'Too many failed logins for one account, or too many requests',
    schema: { $ref: '#/components/schemas/ErrorEnvelope' },
  },
}

const TOKENS: JsonSchema = {
  type: 'object',
  required: ['access_token', 'expires_in', 'token_type', 'scope'],
  properties: {
    access_token: text,
    expires_in: { type: 'integer', description: 'Seconds until the access token expires' },
    token_type: { const: 'Bearer' },
    scope: text,
    refresh_token: text,
    refresh_token_expires_in: {
      type: 'integer',
      description: 'Lifetime of the refresh token in seconds',
    },
    id_token: text,
  },
}

const INTROSPECTION: JsonSchema = {
  type: 'object',
  required: ['active'],
  properties: { active: { type: 'boolean' } },
}

/** Without these parameters there is no address to redirect to. */
const REQUIRED_PARAMETERS: ReadonlySet<string> = new Set(['client_id', 'redirect_uri'])

const query: Parameter[] = AUTHORIZATION_PARAMETERS.map((name) => ({
  name,
  description: `The parameter ${name} of OAuth 2.0 or OpenID Connect`,
  schema: text,
  required: REQUIRED_PARAMETERS.has(name),
}))

/** The routes of OAuth 2.0 and OpenID Connect. They need no authentication, since logins start here. */
export function oauthRoutes(routes: SurfaceRoutes): void {
  routes
    .post('/token', uncached(issueTokens), {
      name: 'createToken',
      summary:
        'Issue tokens for a password, an authorization code, a refresh token or client credentials',
      access: anyone,
      body: tokenBody,
      translateError: toOAuthFailure,
      responses: {
        200: {
          description:
            'The access token, its lifetime and, depending on the grant, a refresh token',
          schema: TOKENS,
        },
        ...failures,
      },
    })
    .post('/token/introspect', uncached(introspectToken), {
      name: 'introspectToken',
      summary:
        'Introspect an access token (RFC 7662): whether it is active, its subject and permissions',
      access: anyone,
      body: tokenInBody,
      translateError: toOAuthFailure,
      responses: {
        200: {
          description: 'The claims of an active token; only `active: false` for any other',
          schema: INTROSPECTION,
        },
        ...failures,
      },
    })
    .post('/token/revoke', uncached(revokeToken), {
      name: 'revokeToken',
      summary: 'Revoke a token before it expires (RFC 7009)',
      access: anyone,
      body: tokenInBody,
      translateError: toOAuthFailure,
      responses: {
        200: { description: 'The token is revoked, or was not active before' },
        ...failures,
      },
    })
  keyRoutes(routes)
  loginRoutes(routes)
}

function keyRoutes(routes: SurfaceRoutes): void {
  const keys = { 200: { description: 'A JSON Web Key Set', schema: object } }
  const configuration = {
    200: { description: 'The provider metadata of OpenID Connect Discovery', schema: object },
  }
  routes
    .get('/jwks', showKeys, {
      name: 'readKeys',
      summary: 'Read the public keys that verify tokens of every realm',
      access: anyone,
      responses: keys,
    })
    .get('/realms/:realm/jwks', showRealmKeys, {
      name: 'readRealmKeys',
      summary: 'Read the public keys that verify tokens of a realm',
      access: anyone,
      responses: keys,
    })
    .get('/.well-known/openid-configuration', showConfiguration, {
      name: 'readConfiguration',
      summary: 'Read the OpenID Connect discovery document, for users of every realm',
      access: anyone,
      responses: configuration,
    })
    .get('/realms/:realm/.well-known/openid-configuration', showRealmConfiguration, {
      name: 'readRealmConfiguration',
      summary: 'Read the OpenID Connect discovery document of a realm',
      access: anyone,
      responses: configuration,
    })
}

function loginRoutes(routes: SurfaceRoutes): void {
  const page = { description: 'An HTML page', contentType: 'text/html; charset=utf-8' }
  const answers = {
    200: page,
    303: {
      description: 'A redirect to the client',
      headers: { location: 'The address of the client, with a code or an error' },
    },
    400: page,
    429: page,
  }
  routes
    .get('/authorize', authorize, {
      name: 'showLogin',
      summary: 'Show the login page, or redirect to the client if the user is signed in already',
      access: anyone,
      query,
      responses: answers,
    })
    .post('/authorize', submitLogin, {
      name: 'submitLogin',
      summary: 'Submit the form of the login page',
      access: anyone,
      responses: answers,
    })
    .get('/account', showAccount, {
      name: 'showAccount',
      summary: 'Show the account page of the signed-in user',
      access: anyone,
      responses: {
        200: page,
        303: {
          description: 'A redirect to the login page',
          headers: { location: 'The login page' },
        },
        400: page,
      },
    })
    .post('/account', changeAccount, {
      name: 'changeAccount',
      summary: 'Submit a form of the account page',
      access: anyone,
      responses: {
        303: {
          description: 'A redirect to the account page',
          headers: { location: 'The account page' },
        },
        400: page,
        403: page,
        429: page,
      },
    })
    .get('/logout', signOut, {
      name: 'signOut',
      summary: 'Sign a browser out; without a matching `id_token_hint` the user confirms it first',
      access: anyone,
      query: LOGOUT_PARAMETERS.map((name) => ({
        name,
        description: `The parameter ${name} of OpenID Connect RP-Initiated Logout`,
        schema: text,
      })),
      responses: answers,
    })
    .post('/logout', submitSignOut, {
      name: 'submitSignOut',
      summary: 'Sign a browser out, as a client or the form of the sign-out page requests',
      access: anyone,
      responses: answers,
    })
    .get('/userinfo', showUserinfo, {
      name: 'readUserinfo',
      summary: 'Read the OpenID Connect claims about the subject of the access token',
      access: loggedIn,
      entry: anyone,
      responses: { 200: { description: 'The claims of the subject', schema: object } },
    })
    .get('/users/@me', showMe, {
      name: 'readMe',
      summary: 'Read the user or client of the access token',
      access: loggedIn,
      responses: {
        200: {
          description: 'Its attributes, both under `data` and at the top level',
          schema: object,
        },
      },
    })
}
