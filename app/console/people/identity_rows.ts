/** Records of the identity service, as the interface sends them. */
interface Named {
  readonly id: string
  readonly name: string
  readonly displayName: string | null
  readonly realmId: string | null
  readonly realm?: { readonly name: string } | null
  readonly createdAt: string
  readonly updatedAt: string
}

export interface UserRow extends Named {
  readonly active: boolean
}

export interface ClientRow extends Named {
  readonly active: boolean
  readonly builtIn: boolean
  readonly description: string | null
  readonly authMethod: string
  readonly grantTypes: string | null
  readonly redirectUri: string | null
}

export interface RoleRow extends Named {
  readonly builtIn: boolean
  readonly description: string | null
}

export interface PermissionRow extends Named {
  readonly builtIn: boolean
  readonly description: string | null
}

/** An assignment with the related records. */
export interface AssignmentRow {
  readonly id: string
  readonly roleId: string
  readonly role?: RoleRow
  readonly permission?: PermissionRow
  readonly user?: UserRow
  readonly client?: ClientRow
}

export interface SessionRow {
  readonly id: string
  readonly client: string | null
  readonly isBrowser: boolean
  readonly since: string
  readonly usedAt: string | null
  readonly address: string | null
  readonly userAgent: string | null
}
