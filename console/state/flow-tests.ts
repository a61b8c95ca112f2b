// Tests of flows on the server.
import type { Scenario } from '../../flow-engine/scenario.ts'
import type { WorkspaceApi } from './api.ts'
import type { FlowTest } from './flows.ts'

export type { FlowTest }

/** A new test, or a changed one if `testId` is given. Its name is that of the scenario. */
export const saveTest = (
  api: WorkspaceApi,
  flowId: string,
  scenario: Scenario,
  testId?: string,
): Promise<unknown> =>
  testId === undefined
    ? api.post(`/flows/${flowId}/tests`, { scenario })
    : api.put(`/flows/${flowId}/tests/${testId}`, { scenario })

export const removeTest = (api: WorkspaceApi, flowId: string, testId: string): Promise<unknown> =>
  api.delete(`/flows/${flowId}/tests/${testId}`)
