// What is left to do elsewhere once a channel is here: the address to enter at the provider, or the tag for the site.
import type { ReactNode } from 'react'
import type { Channel, ShownChannel } from '../../state/types.ts'
import { CopyField } from '../../ui/copy-field.tsx'
import { Steps } from '../../ui/steps.tsx'
import { RegisterWebhook } from './register-webhook.tsx'

const publicUrlOf = ({ webhookUrl }: ShownChannel): string =>
  webhookUrl.slice(0, webhookUrl.indexOf('/widget/'))

export const setupTitle = (channel: Channel): string =>
  channel === 'web' ? 'Put it on your site' : channel === 'email' ? 'Incoming mail' : 'Tell the provider'

/** `chosen` holds what was just entered: later it cannot be shown again. */
export const ChannelSetup = ({
  channel,
  chosen = {},
  isNew = false,
}: {
  channel: ShownChannel
  chosen?: Record<string, string>
  isNew?: boolean
}) => {
  const webhook = (hint?: ReactNode) => (
    <CopyField label="Webhook address" value={channel.webhookUrl} hint={hint} isFocused={isNew} />
  )
  const verifyToken = chosen.verifyToken && <CopyField label="Verify token" value={chosen.verifyToken} />
  switch (channel.channel) {
    case 'web':
      return (
        <>
          <p>Put this line on every page that is to have the chat, before the end of the body.</p>
          <CopyField
            label="Script tag"
            value={`<script async src="${publicUrlOf(channel)}/widget.js" data-channel="${channel.id}"></script>`}
            isFocused={isNew}
            hint="data-title and data-color (#rrggbb) in the tag change its heading and color; data-name and data-email say who is signed in on your site."
          />
        </>
      )
    case 'whatsapp':
      return (
        <>
          {webhook()}
          {verifyToken}
          <Steps>
            <li>
              At developers.facebook.com open your app, then WhatsApp → Configuration, and choose Edit beside
              the webhook.
            </li>
            <li>
              Enter the webhook address as callback URL, and the verify token. Meta asks here whether it is
              right.
            </li>
            <li>
              Below, under webhook fields, subscribe to <code className="text-mono">messages</code>, and to{' '}
              <code className="text-mono">message_template_status_update</code> so that templates are known as
              soon as they are approved.
            </li>
          </Steps>
        </>
      )
    case 'facebook':
      return (
        <>
          {webhook()}
          {verifyToken}
          <Steps>
            <li>At developers.facebook.com open your app, then Messenger → Settings → Webhooks.</li>
            <li>
              Enter the webhook address as callback URL, and the verify token. Meta asks here whether it is
              right.
            </li>
            <li>
              Add the page, and subscribe to <code className="text-mono">messages</code>,{' '}
              <code className="text-mono">messaging_postbacks</code>,{' '}
              <code className="text-mono">message_deliveries</code>,{' '}
              <code className="text-mono">message_reads</code> and{' '}
              <code className="text-mono">message_echoes</code>.
            </li>
          </Steps>
        </>
      )
    case 'telegram':
      return <RegisterWebhook channel={channel} isNew={isNew} />
    case 'sms':
      return (
        <>
          {webhook()}
          <Steps>
            <li>
              In the Twilio Console open Phone Numbers → Manage → Active numbers, and choose the number.
            </li>
            <li>
              Under Messaging, where it says “A message comes in”, choose Webhook, enter the address, and
              choose HTTP POST.
            </li>
          </Steps>
        </>
      )
    case 'email':
      if (channel.secretsSet.includes('inboundSecret'))
        return (
          <>
            {webhook()}
            <p>
              Have your mail server post each mail there, as it is, with the inbound secret. To try it with a
              file:
            </p>
            <CopyField
              label="Try it"
              value={`curl --data-binary @mail.eml -H 'Authorization: Bearer ${chosen.inboundSecret ?? 'INBOUND_SECRET'}' '${channel.webhookUrl}'`}
            />
          </>
        )
      return channel.secretsSet.includes('imapUrl') ? (
        <p>Nothing: new mail is taken in from the mailbox by itself.</p>
      ) : (
        <p>No mail comes in yet. Enter an IMAP address or an inbound secret below.</p>
      )
  }
}
