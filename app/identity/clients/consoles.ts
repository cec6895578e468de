/** The clients as which web interfaces sign users in, in every realm, with the names that users see. */
export const CONSOLES: Readonly<Record<string, string>> = {
  'admin-console': 'Administration',
  'account-console': 'Account',
}

export const ACCOUNT_CONSOLE = 'account-console'

/** They run in browsers, where no secret can be kept. */
export const CONSOLE_TRAITS = {
  authMethod: 'none',
  grantTypes: 'authorization_code,refresh_token',
} as const

/** Those that a realm gets when it is made. */
export const newConsoles = (realmId: string) =>
  Object.entries(CONSOLES).map(([name, displayName]) => ({
    name,
    displayName,
    builtIn: true,
    ...CONSOLE_TRAITS,
    realmId,
  }))

/** Whether a client is one of them, and not just called so. */
export const isConsole = ({ name, builtIn }: { name: string; builtIn: boolean }): boolean =>
  builtIn && Object.hasOwn(CONSOLES, name)
