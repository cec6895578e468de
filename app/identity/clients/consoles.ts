/** The clients of the web interfaces in every realm, with their display names. */
export const CONSOLES: Readonly<Record<string, string>> = {
  'admin-console': 'Administration',
  'account-console': 'Account',
}

export const ACCOUNT_CONSOLE = 'account-console'
export const ADMIN_CONSOLE = 'admin-console'

/** Public clients: they run in browsers, which cannot protect a secret. */
export const CONSOLE_TRAITS = {
  authMethod: 'none',
  grantTypes: 'authorization_code,refresh_token',
} as const

/** The clients of a new realm. */
export const newConsoles = (realmId: string) =>
  Object.entries(CONSOLES).map(([name, displayName]) => ({
    name,
    displayName,
    builtIn: true,
    ...CONSOLE_TRAITS,
    realmId,
  }))

/** Whether a client is a built-in console, and not another one of that name. */
export const isConsole = ({ name, builtIn }: { name: string; builtIn: boolean }): boolean =>
  builtIn && Object.hasOwn(CONSOLES, name)
