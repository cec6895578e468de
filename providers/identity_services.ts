import type { ApplicationService } from '@adonisjs/core/types'

import { ClientPermissionService } from '#identity/client_permissions/client_permission_service'
import { ClientService } from '#identity/clients/client_service'
import { clientRole } from '#identity/client_roles/client_role'
import { clientScope } from '#identity/client_scopes/client_scope'
import { AssignmentService } from '#identity/embedded/assignment_service'
import { IdentityRecords } from '#identity/identity_records'
import { IdentityService } from '#identity/embedded/identity_service'
import { visibleRealm } from '#identity/embedded/visible_realm'
import { identityProvider } from '#identity/identity_providers/identity_provider'
import { PermissionService } from '#identity/permissions/permission_service'
import { policy } from '#identity/policies/policy'
import { RealmService } from '#identity/realms/realm_service'
import { rolePermission } from '#identity/role_permissions/role_permission'
import { RoleService } from '#identity/roles/role_service'
import { scope } from '#identity/scopes/scope'
import { UserService } from '#identity/users/user_service'
import { userPermission } from '#identity/user_permissions/user_permission'
import { userRole } from '#identity/user_roles/user_role'
import type { Kind } from '#records/kind'
import { RecordService } from '#records/record_service'
import { serviceKeyOf } from '#records/service_key'
import { makeOnce } from './made_once.js'

const SERVICES = [
  IdentityRecords,
  ClientPermissionService,
  ClientService,
  PermissionService,
  RealmService,
  RoleService,
  UserService,
]

/** Kinds without writes. */
const READ_ONLY_KINDS: readonly Kind[] = [policy, identityProvider]

const ASSIGNMENTS = [userRole, userPermission, rolePermission, clientRole, clientScope]

/**
 * Binds the services of the embedded provider. Both its surface and the provider call this; the second call does
 * nothing.
 */
export function wireIdentity({ container }: ApplicationService): void {
  if (container.hasBinding(ClientService)) {
    return
  }
  makeOnce(container, SERVICES)
  const make = (kind: Kind, create: (records: IdentityRecords) => RecordService) =>
    container.singleton(serviceKeyOf(kind), async (resolver) =>
      create(await resolver.make(IdentityRecords))
    )
  make(scope, (records) => new IdentityService(scope, { ...records, scope: visibleRealm }))
  for (const kind of READ_ONLY_KINDS) {
    make(kind, (records) => new RecordService(kind, { ...records, scope: visibleRealm }))
  }
  for (const assignment of ASSIGNMENTS) {
    make(assignment.kind, (records) => new AssignmentService(assignment, records))
  }
}
