import { commonRoutes } from '#openapi/common_routes'
import type { Surface } from '#http/surface'
import { oauthRoutes } from '#identity/embedded/endpoints/routes'
import { services } from '#identity/embedded/services'
import { recordRoutes } from '#records/record_routes'
import { client } from '#identity/clients/client'
import { clientPermission } from '#identity/client_permissions/client_permission'
import { clientRole } from '#identity/client_roles/client_role'
import { clientScope } from '#identity/client_scopes/client_scope'
import { identityProvider } from '#identity/identity_providers/identity_provider'
import { permission } from '#identity/permissions/permission'
import { policy } from '#identity/policies/policy'
import { realm } from '#identity/realms/realm'
import { role } from '#identity/roles/role'
import { rolePermission } from '#identity/role_permissions/role_permission'
import { scope } from '#identity/scopes/scope'
import { user } from '#identity/users/user'
import { userPermission } from '#identity/user_permissions/user_permission'
import { userRole } from '#identity/user_roles/user_role'

const identity: Surface = {
  name: 'identity',
  title: 'Identity',
  summary: 'Realms, users, clients and their tokens',
  routes(routes) {
    commonRoutes(routes, identity)
    oauthRoutes(routes)
    recordRoutes(routes, realm, services.realm)
    recordRoutes(routes, user, services.user)
    recordRoutes(routes, client, services.client)
    recordRoutes(routes, role, services.role)
    recordRoutes(routes, permission, services.permission)
    recordRoutes(routes, scope, services.scope)
    recordRoutes(routes, policy, services.policy)
    recordRoutes(routes, identityProvider, services.identityProvider)
    recordRoutes(routes, userRole.kind, services.userRole)
    recordRoutes(routes, userPermission.kind, services.userPermission)
    recordRoutes(routes, rolePermission.kind, services.rolePermission)
    recordRoutes(routes, clientRole.kind, services.clientRole)
    recordRoutes(routes, clientPermission.kind, services.clientPermission)
    recordRoutes(routes, clientScope.kind, services.clientScope)
  },
}

export default identity
