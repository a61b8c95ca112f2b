// Members as the admins see them in the console. Adding, changing and removing them is the API's.
import type { App } from '../../http/api.ts'
import { errors } from '../../http/error-responses.ts'
import { findAgent, listMembers } from './queries.ts'
import { AgentParams, AiAgentState, MemberAnswer, MemberList, MemberRoleChange } from './schema.ts'
import { setAiAgent } from './set-ai-agent.ts'
import { setMemberRole } from './set-member-role.ts'

export const registerAgentsConsoleRoutes = (app: App): void => {
  app.get(
    '/members',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consoleListMembers',
        summary: 'List the members',
        description: 'In the order they were added, the AI agent last, each with their role.',
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
        summary: 'Give an agent a role',
        description: 'It counts from their next request on.',
        params: AgentParams,
        body: MemberRoleChange,
        response: { 200: MemberAnswer, ...errors('AGENT_NOT_FOUND', 'AGENT_MANAGED') },
      },
    },
    ({ ctx, params, body }) => setMemberRole(ctx, { ...params, ...body }),
  )

  app.get(
    '/ai-agent',
    {
      config: { permission: 'admin' },
      schema: {
        operationId: 'consoleGetAiAgent',
        summary: 'Whether the AI agent is switched on',
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
        summary: 'Switch the AI agent on or off',
        description: 'Switched off, it leaves its open conversations unassigned.',
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
