// Editing flows. Reading the list and the runs is in api/, for programs too.

import { stopFlow } from '../domain/flow-runs/stop-flow.ts'
import { restoreFlow, resumeFlow } from '../domain/flows/change-state.ts'
import {
  createFlow,
  deleteFlow,
  duplicateFlow,
  getFlowDetails,
  getVersion,
  renameFlow,
  reorderFlows,
  restoreVersion,
  saveDraft,
} from '../domain/flows/edit-flow.ts'
import {
  DraftChange,
  DraftSaved,
  FlowDetails,
  FlowOrder,
  FlowRename,
  NewFlow,
  Publication,
  Removed,
  VersionAnswer,
  VersionParams,
  WhatOfRuns,
} from '../domain/flows/editor-schema.ts'
import { publishFlow } from '../domain/flows/publish-flow.ts'
import { FlowParams } from '../domain/flows/schema.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

const MANAGE = { permission: 'manage_automation' } as const

export const registerFlowEditing = (app: App): void => {
  registerDrafts(app)
  registerStates(app)
  registerList(app)
}

const registerDrafts = (app: App): void => {
  app.get(
    '/flows/:flowId',
    {
      config: MANAGE,
      schema: {
        operationId: 'consoleGetFlow',
        summary: 'Get a flow with its draft, versions and tests',
        params: FlowParams,
        response: { 200: FlowDetails, ...errors('FLOW_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => getFlowDetails(ctx, params.flowId),
  )

  app.put(
    '/flows/:flowId/draft',
    {
      config: MANAGE,
      schema: {
        operationId: 'consoleSaveFlowDraft',
        summary: 'Save a flow’s draft',
        description: 'Refused if somebody else saved meanwhile. Nothing is checked but that it can be kept.',
        params: FlowParams,
        body: DraftChange,
        response: { 200: DraftSaved, ...errors('FLOW_NOT_FOUND', 'FLOW_DRAFT_CHANGED') },
      },
    },
    ({ ctx, params, body }) => saveDraft(ctx, params.flowId, body),
  )

  app.post(
    '/flows/:flowId/publish',
    {
      config: MANAGE,
      schema: {
        operationId: 'consolePublishFlow',
        summary: 'Publish a flow’s draft',
        params: FlowParams,
        body: Publication,
        response: {
          200: FlowDetails,
          ...errors(
            'FLOW_NOT_FOUND',
            'FLOW_DRAFT_CHANGED',
            'FLOW_UNCHANGED',
            'FLOW_INVALID',
            'FLOW_HAS_WARNINGS',
            'FLOW_STATE_CONFLICT',
          ),
        },
      },
    },
    ({ ctx, params, body }) => publishFlow(ctx, { ...params, ...body }),
  )

  app.get(
    '/flows/:flowId/versions/:version',
    {
      config: MANAGE,
      schema: {
        operationId: 'consoleGetFlowVersion',
        summary: 'Get a version of a flow',
        params: VersionParams,
        response: { 200: VersionAnswer, ...errors('FLOW_VERSION_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => getVersion(ctx, params.flowId, params.version),
  )

  app.post(
    '/flows/:flowId/versions/:version/restore',
    {
      config: MANAGE,
      schema: {
        operationId: 'consoleRestoreFlowVersion',
        summary: 'Make an old version the draft',
        params: VersionParams,
        response: { 200: DraftSaved, ...errors('FLOW_NOT_FOUND', 'FLOW_VERSION_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => restoreVersion(ctx, params.flowId, params.version),
  )
}

const registerStates = (app: App): void => {
  app.post(
    '/flows/:flowId/pause',
    {
      config: MANAGE,
      schema: {
        operationId: 'consolePauseFlow',
        summary: 'Pause a flow',
        params: FlowParams,
        body: WhatOfRuns,
        response: { 200: FlowDetails, ...errors('FLOW_NOT_FOUND', 'FLOW_STATE_CONFLICT') },
      },
    },
    ({ ctx, params, body }) => stopFlow(ctx, { ...params, ...body, how: 'pause' }),
  )

  app.post(
    '/flows/:flowId/archive',
    {
      config: MANAGE,
      schema: {
        operationId: 'consoleArchiveFlow',
        summary: 'Archive a flow',
        params: FlowParams,
        body: WhatOfRuns,
        response: { 200: FlowDetails, ...errors('FLOW_NOT_FOUND') },
      },
    },
    ({ ctx, params, body }) => stopFlow(ctx, { ...params, ...body, how: 'archive' }),
  )

  app.post(
    '/flows/:flowId/resume',
    {
      config: MANAGE,
      schema: {
        operationId: 'consoleResumeFlow',
        summary: 'Resume a paused flow',
        params: FlowParams,
        response: { 200: FlowDetails, ...errors('FLOW_NOT_FOUND', 'FLOW_STATE_CONFLICT') },
      },
    },
    ({ ctx, params }) => resumeFlow(ctx, params.flowId),
  )

  app.post(
    '/flows/:flowId/restore',
    {
      config: MANAGE,
      schema: {
        operationId: 'consoleRestoreFlow',
        summary: 'Bring an archived flow back',
        description: 'It comes back paused, or as a draft if it was never published.',
        params: FlowParams,
        response: { 200: FlowDetails, ...errors('FLOW_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => restoreFlow(ctx, params.flowId),
  )
}

const registerList = (app: App): void => {
  app.post(
    '/flows',
    {
      config: MANAGE,
      schema: {
        operationId: 'consoleCreateFlow',
        summary: 'Create a flow',
        body: NewFlow,
        response: { 200: FlowDetails },
      },
    },
    ({ ctx, body }) => createFlow(ctx, body),
  )

  app.put(
    '/flows/order',
    {
      config: MANAGE,
      schema: {
        operationId: 'consoleReorderFlows',
        summary: 'Set the order in which flows are tried',
        body: FlowOrder,
        response: { 200: Removed },
      },
    },
    ({ ctx, body }) => reorderFlows(ctx, body.ids),
  )

  app.patch(
    '/flows/:flowId',
    {
      config: MANAGE,
      schema: {
        operationId: 'consoleRenameFlow',
        summary: 'Rename a flow',
        params: FlowParams,
        body: FlowRename,
        response: { 200: FlowDetails, ...errors('FLOW_NOT_FOUND') },
      },
    },
    ({ ctx, params, body }) => renameFlow(ctx, params.flowId, body.name),
  )

  app.post(
    '/flows/:flowId/duplicate',
    {
      config: MANAGE,
      schema: {
        operationId: 'consoleDuplicateFlow',
        summary: 'Copy a flow',
        params: FlowParams,
        response: { 200: FlowDetails, ...errors('FLOW_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => duplicateFlow(ctx, params.flowId),
  )

  app.delete(
    '/flows/:flowId',
    {
      config: MANAGE,
      schema: {
        operationId: 'consoleDeleteFlow',
        summary: 'Delete a draft that was never published',
        params: FlowParams,
        response: { 200: Removed, ...errors('FLOW_NOT_FOUND', 'FLOW_STATE_CONFLICT') },
      },
    },
    ({ ctx, params }) => deleteFlow(ctx, params.flowId),
  )
}
