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
  400: { description: 'What was asked for is refused', schema: OAUTH_FAILURE },
  401: { description: 'The client is not who it says', schema: OAUTH_FAILURE },
  429: {
    description: 'Too many wrong secrets for one account, or too many requests',
    schema: { $ref: '#/components/schemas/ErrorEnvelope' },
  },
}

const TOKENS: JsonSchema = {
  type: 'object',
  required: ['access_token', 'expires_in', 'token_type', 'scope'],
  properties: {
    access_token: text,
    expires_in: { type: 'integer', description: 'Seconds' },
    token_type: { const: 'Bearer' },
    scope: text,
    refresh_token: text,
    refresh_token_expires_in: { type: 'integer', description: 'Seconds' },
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
      summary: 'Tokens for a password, a code, a refresh token or the secret of a client',
      access: anyone,
      body: tokenBody,
      translateError: toOAuthFailure,
      responses: { 200: { description: 'The tokens', schema: TOKENS }, ...failures },
    })
    .post('/token/introspect', uncached(introspectToken), {
      name: 'introspectToken',
      summary: 'Whether a token is good now, whom it is for and what that may do',
      access: anyone,
      body: tokenInBody,
      translateError: toOAuthFailure,
      responses: {
        200: { description: 'What it is good for', schema: INTROSPECTION },
        ...failures,
      },
    })
    .post('/token/revoke', uncached(revokeToken), {
      name: 'revokeToken',
      summary: 'End a token before its time',
      access: anyone,
      body: tokenInBody,
      translateError: toOAuthFailure,
      responses: { 200: { description: 'It is no good any more' }, ...failures },
    })
  keyRoutes(routes)
  loginRoutes(routes)
}

function keyRoutes(routes: SurfaceRoutes): void {
  const keys = { 200: { description: 'The keys', schema: object } }
  const configuration = { 200: { description: 'The addresses', schema: object } }
  routes
    .get('/jwks', showKeys, {
      name: 'readKeys',
      summary: 'The public keys that tokens are signed with',
      access: anyone,
      responses: keys,
    })
    .get('/realms/:realm/jwks', showRealmKeys, {
      name: 'readRealmKeys',
      summary: 'The public keys that tokens of a realm are signed with',
      access: anyone,
      responses: keys,
    })
    .get('/.well-known/openid-configuration', showConfiguration, {
      name: 'readConfiguration',
      summary: 'Where everything is, for programs that look it up',
      access: anyone,
      responses: configuration,
    })
    .get('/realms/:realm/.well-known/openid-configuration', showRealmConfiguration, {
      name: 'readRealmConfiguration',
      summary: 'Where everything is for users of one realm',
      access: anyone,
      responses: configuration,
    })
}

function loginRoutes(routes: SurfaceRoutes): void {
  const page = { description: 'A page for the user', contentType: 'text/html; charset=utf-8' }
  const answers = {
    200: page,
    303: { description: 'Back to the client', headers: { location: 'With a code or an error' } },
    400: page,
    429: page,
  }
  routes
    .get('/authorize', authorize, {
      name: 'askForLogin',
      summary: 'The page on which a user of a client signs in',
      access: anyone,
      query,
      responses: answers,
    })
    .post('/authorize', submitLogin, {
      name: 'takeLogin',
      summary: 'What a user entered on that page',
      access: anyone,
      responses: answers,
    })
    .get('/account', showAccount, {
      name: 'showAccount',
      summary: 'The page on which users look after their own account',
      access: anyone,
      responses: {
        200: page,
        303: { description: 'To sign in, and back', headers: { location: 'The login page' } },
        400: page,
      },
    })
    .post('/account', changeAccount, {
      name: 'changeAccount',
      summary: 'What a user entered on that page',
      access: anyone,
      responses: {
        303: { description: 'Back to the page', headers: { location: 'The page' } },
        400: page,
        403: page,
        429: page,
      },
    })
    .get('/logout', signOut, {
      name: 'signOut',
      summary:
        'Ends the login of a browser. A user whom `id_token_hint` does not name is asked first',
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
      summary: 'Ends the login of a browser, as a client or the page of the provider asks for it',
      access: anyone,
      responses: answers,
    })
    .get('/userinfo', showUserinfo, {
      name: 'readUserinfo',
      summary: 'Who the token is for, as OpenID Connect tells it',
      access: loggedIn,
      entry: anyone,
      responses: { 200: { description: 'The claims', schema: object } },
    })
    .get('/users/@me', showMe, {
      name: 'readMe',
      summary: 'The user who asks, under `data` and flat beside it',
      access: loggedIn,
      responses: { 200: { description: 'The user', schema: object } },
    })
}
