import { commonRoutes } from '#openapi/common_routes'
import type { Surface } from '#http/surface'
import { oauthRoutes } from '#identity/embedded/endpoints/routes'
import { readOnlyRoute } from '#records/read_only_route'
import { recordRoutes } from '#records/record_routes'
import { client } from '#identity/clients/client'
import { ClientService } from '#identity/clients/client_service'
import { clientPermission } from '#identity/client_permissions/client_permission'
import { ClientPermissionService } from '#identity/client_permissions/client_permission_service'
import { clientRole } from '#identity/client_roles/client_role'
import { clientScope } from '#identity/client_scopes/client_scope'
import { identityProvider } from '#identity/identity_providers/identity_provider'
import { permission } from '#identity/permissions/permission'
import { PermissionService } from '#identity/permissions/permission_service'
import { policy } from '#identity/policies/policy'
import { realm } from '#identity/realms/realm'
import { RealmService } from '#identity/realms/realm_service'
import { role } from '#identity/roles/role'
import { RoleService } from '#identity/roles/role_service'
import { rolePermission } from '#identity/role_permissions/role_permission'
import { scope } from '#identity/scopes/scope'
import { user } from '#identity/users/user'
import { sessionRoutes } from '#identity/users/session_routes'
import { UserService } from '#identity/users/user_service'
import { userPermission } from '#identity/user_permissions/user_permission'
import { userRole } from '#identity/user_roles/user_role'

const identity: Surface = {
  name: 'identity',
  title: 'Identity',
  summary: 'Realms, users, clients and their tokens',
  routes(routes) {
    commonRoutes(routes, identity)
    oauthRoutes(routes)
    recordRoutes(routes, realm, RealmService)
    recordRoutes(routes, user, UserService)
    sessionRoutes(routes)
    recordRoutes(routes, client, ClientService)
    recordRoutes(routes, role, RoleService)
    recordRoutes(routes, permission, PermissionService)
    recordRoutes(routes, scope)
    recordRoutes(routes, policy)
    readOnlyRoute(
      routes,
      policy,
      'The embedded provider has no policies; give permissions by roles'
    )
    recordRoutes(routes, identityProvider)
    readOnlyRoute(
      routes,
      identityProvider,
      'The embedded provider signs in its own users alone; set IDENTITY_URL for another provider'
    )
    recordRoutes(routes, userRole.kind)
    recordRoutes(routes, userPermission.kind)
    recordRoutes(routes, rolePermission.kind)
    recordRoutes(routes, clientRole.kind)
    recordRoutes(routes, clientPermission.kind, ClientPermissionService)
    recordRoutes(routes, clientScope.kind)
  },
}

export default identity
