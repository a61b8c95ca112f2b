// Members as admins see them in the console. The API adds, changes and removes them.

import { findAgent, listMembers, markMembershipSeen } from '../domain/agents/queries.ts'
import { removeAgent } from '../domain/agents/remove-agent.ts'
import {
  AgentAnswer,
  AgentParams,
  AgentRemoved,
  AiAgentState,
  MemberAnswer,
  MemberList,
  MemberRoleChange,
  NicknameChange,
} from '../domain/agents/schema.ts'
import { setAiAgent } from '../domain/agents/set-ai-agent.ts'
import { setMemberRole } from '../domain/agents/set-member-role.ts'
import { signOutAgent } from '../domain/agents/sign-out-agent.ts'
import { updateAgent } from '../domain/agents/update-agent.ts'
import { actorId } from '../platform/ctx/actor.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

export const registerAgentsConsoleRoutes = (app: App): void => {
  app.get(
    '/members',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consoleListMembers',
        summary: 'List members',
        description: 'In the order they were added, with their roles. The AI agent comes last.',
        response: { 200: MemberList },
      },
    },
    async ({ ctx }) => ({ members: await listMembers(ctx) }),
  )

  app.patch(
    '/members/:agentId/role',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consoleSetMemberRole',
        summary: 'Set the role of an agent',
        description: 'Takes effect with their next request.',
        params: AgentParams,
        body: MemberRoleChange,
        response: { 200: MemberAnswer, ...errors('AGENT_NOT_FOUND', 'AGENT_MANAGED') },
      },
    },
    ({ ctx, params, body }) => setMemberRole(ctx, { ...params, ...body }),
  )

  app.post(
    '/members/:agentId/sign-out',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consoleSignOutMember',
        summary: 'End all sign-ins of an agent',
        description: 'In this workspace: those of a person who also belongs to another one stay valid there.',
        params: AgentParams,
        response: { 200: AgentRemoved, ...errors('AGENT_NOT_FOUND', 'AGENT_MANAGED') },
      },
    },
    ({ ctx, params }) => signOutAgent(ctx, params.agentId),
  )

  app.patch(
    '/membership',
    {
      schema: {
        operationId: 'consoleRenameSelf',
        summary: 'Change your own nickname, in every workspace',
        body: NicknameChange,
        response: { 200: AgentAnswer, ...errors('NICKNAME_TAKEN') },
      },
    },
    ({ ctx, body }) => updateAgent(ctx, { agentId: actorId(ctx.actor), ...body }),
  )

  app.post(
    '/membership/seen',
    {
      schema: {
        operationId: 'consoleSeeMembership',
        summary: 'Dismiss the notice that you were added to the workspace',
        response: { 200: AgentRemoved },
      },
    },
    async ({ ctx }) => {
      await markMembershipSeen(ctx, actorId(ctx.actor))
      return { success: true as const }
    },
  )

  app.delete(
    '/membership',
    {
      schema: {
        operationId: 'consoleLeaveWorkspace',
        summary: 'Leave the workspace',
        description: 'Your open conversations in it become unassigned. The last admin cannot leave.',
        response: { 200: AgentRemoved, ...errors('LAST_ADMIN') },
      },
    },
    ({ ctx }) => removeAgent(ctx, actorId(ctx.actor)),
  )

  registerAiAgentRoutes(app)
}

const registerAiAgentRoutes = (app: App): void => {
  app.get(
    '/ai-agent',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consoleGetAiAgent',
        summary: 'Get whether the AI agent is on',
        response: { 200: AiAgentState },
      },
    },
    async ({ ctx }) => ({ enabled: (await findAgent(ctx, 'ai')) !== undefined }),
  )

  app.put(
    '/ai-agent',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consoleSetAiAgent',
        summary: 'Turn the AI agent on or off',
        description: 'When turned off, its open conversations become unassigned.',
        body: AiAgentState,
        response: { 200: AiAgentState },
      },
    },
    async ({ ctx, body }) => {
      const { ai } = await setAiAgent(ctx, { isEnabled: body.enabled })
      return { enabled: ai.isEnabled }
    },
  )
}
