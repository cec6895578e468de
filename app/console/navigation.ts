import type { Actor } from '#kernel/actor'
import { permits, requiresAny, loggedIn, type Access } from '#kernel/access'
import { OPERATOR_ACCESS } from '#auth/operator_access'

interface NavigationEntry {
  /** The key of the area and of its text. */
  readonly area: string
  readonly path: string
  readonly access: Access
}

const PEOPLE = ['user_read', 'client_read', 'role_read', 'permission_read'] as const

/** The areas of the console in their order. */
const ENTRIES: readonly NavigationEntry[] = [
  { area: 'needs', path: '/', access: loggedIn },
  { area: 'analyses', path: '/analyses', access: loggedIn },
  { area: 'projects', path: '/projects', access: loggedIn },
  { area: 'nodes', path: '/nodes', access: loggedIn },
  { area: 'audit', path: '/audit', access: requiresAny('event_read') },
  { area: 'people', path: '/people', access: requiresAny(...PEOPLE) },
  { area: 'system', path: '/system', access: OPERATOR_ACCESS },
]

/** The areas that a user may open. */
export const navigationFor = (actor: Actor): NavigationEntry[] =>
  ENTRIES.filter(({ access }) => permits(access, actor))
