import { addAgent } from '../domain/agents/add-agent.ts'
import { getAgent, listAgents } from '../domain/agents/queries.ts'
import { removeAgent } from '../domain/agents/remove-agent.ts'
import {
  AgentAnswer,
  AgentChange,
  AgentList,
  AgentParams,
  AgentRemoved,
  NewAgent,
} from '../domain/agents/schema.ts'
import { updateAgent } from '../domain/agents/update-agent.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

export const registerAgents = (app: App): void => {
  app.get(
    '/agents',
    {
      config: { scope: 'agents:read' },
      schema: {
        operationId: 'listAgents',
        tags: ['Agents'],
        summary: 'List agents',
        description:
          'All agents of the workspace, in the order they were added. The AI agent, if enabled, comes last.',
        response: { 200: AgentList },
      },
    },
    async (request) => ({ agents: await listAgents(request.ctx) }),
  )

  app.post(
    '/agents',
    {
      config: { scope: 'agents:write', budget: 'change', permission: 'admin' },
      schema: {
        operationId: 'addAgent',
        tags: ['Agents'],
        summary: 'Add an agent',
        description:
          'Gives a person access to the workspace, and creates an account if their email has none. No email is sent: they sign in with a one-time code. Adding someone who was removed restores their access under the same id.',
        body: NewAgent,
        response: {
          200: AgentAnswer,
          ...errors('AGENT_ALREADY_MEMBER', 'NICKNAME_TAKEN', 'AGENT_MANAGED'),
        },
      },
    },
    (request) => addAgent(request.ctx, request.body),
  )

  app.get(
    '/agents/:agentId',
    {
      config: { scope: 'agents:read' },
      schema: {
        operationId: 'getAgent',
        tags: ['Agents'],
        summary: 'Get an agent',
        description: 'Returns one active agent of the workspace. This can be the AI agent.',
        params: AgentParams,
        response: { 200: AgentAnswer, ...errors('AGENT_NOT_FOUND') },
      },
    },
    async (request) => ({ agent: await getAgent(request.ctx, request.params.agentId) }),
  )

  app.patch(
    '/agents/:agentId',
    {
      config: { scope: 'agents:write', budget: 'change', permission: 'admin' },
      schema: {
        operationId: 'updateAgent',
        tags: ['Agents'],
        summary: 'Change an agent',
        description:
          'Changes the role (in this workspace), the nickname (in all workspaces), or both. If the person also belongs to other workspaces, or another workspace created their account, only they can change the nickname: FORBIDDEN. A nickname that could be mistaken for another member, the API, the system or the AI agent is not valid. If either change is rejected, neither is made. The last admin cannot be demoted.',
        params: AgentParams,
        body: AgentChange,
        response: {
          200: AgentAnswer,
          ...errors('AGENT_NOT_FOUND', 'AGENT_MANAGED', 'LAST_ADMIN', 'NICKNAME_TAKEN', 'FORBIDDEN'),
        },
      },
    },
    (request) => updateAgent(request.ctx, { ...request.body, agentId: request.params.agentId }),
  )

  app.delete(
    '/agents/:agentId',
    {
      config: { scope: 'agents:write', budget: 'change', permission: 'admin' },
      schema: {
        operationId: 'removeAgent',
        tags: ['Agents'],
        summary: 'Remove an agent',
        description:
          "Ends the person's access to this workspace and unassigns their open conversations. Their account and messages are kept. Adding the same email again restores access.",
        params: AgentParams,
        response: { 200: AgentRemoved, ...errors('AGENT_NOT_FOUND', 'AGENT_MANAGED', 'LAST_ADMIN') },
      },
    },
    (request) => removeAgent(request.ctx, request.params.agentId),
  )
}
