import { inject } from '@adonisjs/core'

import { AssignmentService } from '#identity/embedded/assignment_service'
import { IdentityRecords } from '#identity/identity_records'
import { clientPermission } from './client_permission.js'

/** The permissions of clients, which the platform itself grants as well. */
@inject()
export class ClientPermissionService extends AssignmentService {
  constructor(records: IdentityRecords) {
    super(clientPermission, records)
  }
}
