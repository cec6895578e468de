import type { Actor } from '#kernel/actor'
import { permits, requiresAny, requiresInMasterRealm, loggedIn, type Access } from '#kernel/access'

interface NavigationEntry {
  /** Names the text and the area. */
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
  { area: 'system', path: '/system', access: requiresInMasterRealm('service_manage') },
]

/** The areas that a user may open. */
export const navigationFor = (actor: Actor): NavigationEntry[] =>
  ENTRIES.filter(({ access }) => permits(access, actor))
