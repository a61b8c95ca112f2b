// Teams, those of channels and the targets of answers, as admins manage them, and whether a person is away.

import { isAway } from '../domain/agents/queries.ts'
import { setAway } from '../domain/agents/set-away.ts'
import { ChannelParams, ChannelTeam, ShownChannelAnswer } from '../domain/channel-accounts/schema.ts'
import { getChannel } from '../domain/channel-accounts/show-channel-accounts.ts'
import { listTeams } from '../domain/teams/queries.ts'
import {
  AnswerTargets,
  AwayBody,
  ManagedTeamAnswer,
  ManagedTeamList,
  NewTeam,
  TeamParams,
  TeamRemoved,
} from '../domain/teams/schema.ts'
import { setChannelTeam } from '../domain/teams/set-channel-team.ts'
import { createTeam, getTargets, removeTeam, saveTargets, updateTeam } from '../domain/teams/teams.ts'
import { actorId } from '../platform/ctx/actor.ts'
import type { App } from '../platform/http/api.ts'
import { errors } from '../platform/http/error-responses.ts'

const ADMIN = { permission: 'admin' } as const

const registerChannelTeamRoute = (app: App): void => {
  app.put(
    '/channels/:channelId/team',
    {
      config: ADMIN,
      schema: {
        operationId: 'consoleSetChannelTeam',
        summary: 'Set which team gets the conversations of a channel',
        description: 'Those that customers begin from now on. Null: they have no team.',
        params: ChannelParams,
        body: ChannelTeam,
        response: { 200: ShownChannelAnswer, ...errors('CHANNEL_NOT_FOUND', 'INVALID_TEAM') },
      },
    },
    async ({ ctx, params: { channelId }, body: { teamId } }) => {
      await setChannelTeam(ctx, { channelId, teamId })
      return { channel: await getChannel(ctx, channelId) }
    },
  )
}

export const registerTeamsConsoleRoutes = (app: App): void => {
  registerChannelTeamRoute(app)

  app.get(
    '/managed-teams',
    {
      config: ADMIN,
      schema: {
        operationId: 'consoleListTeams',
        summary: 'List teams with their settings',
        response: { 200: ManagedTeamList },
      },
    },
    async ({ ctx }) => ({ teams: await listTeams(ctx) }),
  )

  app.post(
    '/managed-teams',
    {
      config: ADMIN,
      schema: {
        operationId: 'consoleCreateTeam',
        summary: 'Create a team',
        body: NewTeam,
        response: { 200: ManagedTeamAnswer },
      },
    },
    async ({ ctx, body }) => ({ team: await createTeam(ctx, body) }),
  )

  app.put(
    '/managed-teams/:teamId',
    {
      config: ADMIN,
      schema: {
        operationId: 'consoleUpdateTeam',
        summary: 'Replace a team’s settings',
        params: TeamParams,
        body: NewTeam,
        response: { 200: ManagedTeamAnswer, ...errors('TEAM_NOT_FOUND') },
      },
    },
    async ({ ctx, params, body }) => ({ team: await updateTeam(ctx, params.teamId, body) }),
  )

  app.delete(
    '/managed-teams/:teamId',
    {
      config: ADMIN,
      schema: {
        operationId: 'consoleRemoveTeam',
        summary: 'Remove a team',
        params: TeamParams,
        response: { 200: TeamRemoved, ...errors('TEAM_NOT_FOUND') },
      },
    },
    ({ ctx, params }) => removeTeam(ctx, params.teamId),
  )
  registerTargets(app)
  registerAway(app)
}

const registerTargets = (app: App): void => {
  app.get(
    '/answer-targets',
    {
      config: ADMIN,
      schema: {
        operationId: 'consoleGetAnswerTargets',
        summary: 'Get the workspace’s targets for answers',
        response: { 200: AnswerTargets },
      },
    },
    ({ ctx }) => getTargets(ctx),
  )

  app.put(
    '/answer-targets',
    {
      config: ADMIN,
      schema: {
        operationId: 'consoleSaveAnswerTargets',
        summary: 'Replace the workspace’s targets for answers',
        body: AnswerTargets,
        response: { 200: AnswerTargets },
      },
    },
    ({ ctx, body }) => saveTargets(ctx, body),
  )
}

/** Everybody’s own. */
const registerAway = (app: App): void => {
  app.get(
    '/away',
    {
      schema: {
        operationId: 'consoleGetAway',
        summary: 'Whether you are away',
        response: { 200: AwayBody },
      },
    },
    async ({ ctx }) => ({ isAway: await isAway(ctx, actorId(ctx.actor)) }),
  )

  app.put(
    '/away',
    {
      schema: {
        operationId: 'consoleSetAway',
        summary: 'Set yourself to away, or back',
        body: AwayBody,
        response: { 200: AwayBody },
      },
    },
    ({ ctx, body }) => setAway(ctx, body),
  )
}
