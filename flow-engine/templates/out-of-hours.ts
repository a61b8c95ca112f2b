import type { FlowTemplate } from './template.ts'

export const OUT_OF_HOURS: FlowTemplate = {
  id: 'out-of-hours',
  name: 'Out of hours',
  about:
    'While you are closed, says when you will be back, asks web visitors for their email, and tags the conversation.',
  needs: [
    {
      kind: 'tag',
      id: 'need:out-of-hours',
      name: 'Out of hours',
      about: 'Marks customers who wrote while you were closed.',
    },
  ],
  beforePublishing: [
    'Set your business hours and holidays in the settings: the flow reads the next opening time from them.',
    'Move it above your other welcome flows, so that it comes first while you are closed.',
  ],
  definition: {
    schema: 1,
    kind: 'dialog',
    language: 'en',
    triggers: [
      { on: 'message', isFirst: true, when: { value: 'hours.isOpen', op: 'is', to: false } },
      { on: 'reopened', when: { value: 'hours.isOpen', op: 'is', to: false } },
    ],
    reentry: { after: 'PT12H' },
    start: 'closed',
    blocks: {
      closed: {
        title: 'We are closed',
        steps: [
          { id: 's1', type: 'tag', add: ['need:out-of-hours'] },
          {
            id: 's2',
            type: 'branch',
            paths: [
              {
                title: 'We know when we open',
                when: { value: 'hours.opensAt', op: 'isSet' },
                goto: 'promise',
              },
            ],
            else: 'later',
          },
        ],
      },
      promise: {
        title: 'Promise the next opening time',
        steps: [
          {
            id: 's3',
            type: 'send',
            text: {
              en: 'Thanks for your message. We’re closed right now and will be back {{hours.opensAt|day}} at {{hours.opensAt|time}}. Tell us what you need, and we’ll reply then.',
              de: 'Danke für Ihre Nachricht. Wir haben gerade geschlossen und sind {{hours.opensAt|day}} ab {{hours.opensAt|time}} Uhr wieder da. Schreiben Sie uns gern schon Ihr Anliegen.',
              es: 'Gracias por su mensaje. Ahora estamos cerrados. Volvemos a abrir: {{hours.opensAt|day}}, {{hours.opensAt|time}}. Cuéntenos qué necesita y le responderemos entonces.',
              pt: 'Obrigado pela mensagem. Estamos fechados agora e voltamos {{hours.opensAt|day}} às {{hours.opensAt|time}}. Conte do que você precisa e respondemos assim que abrirmos.',
              fr: 'Merci pour votre message. Nous sommes fermés et serons de retour {{hours.opensAt|day}} à {{hours.opensAt|time}}. Dites-nous ce qu’il vous faut : nous vous répondrons dès l’ouverture.',
            },
          },
        ],
        next: 'email',
      },
      later: {
        title: 'No opening time is set',
        steps: [
          {
            id: 's4',
            type: 'send',
            text: {
              en: 'Thanks for your message. We’re closed right now. Tell us what you need, and we’ll reply as soon as we’re back.',
              de: 'Danke für Ihre Nachricht. Wir haben gerade geschlossen. Schreiben Sie uns gern schon Ihr Anliegen, wir antworten, sobald wir wieder da sind.',
              es: 'Gracias por su mensaje. Ahora estamos cerrados. Cuéntenos qué necesita y le responderemos en cuanto volvamos.',
              pt: 'Obrigado pela mensagem. Estamos fechados agora. Conte do que você precisa e respondemos assim que voltarmos.',
              fr: 'Merci pour votre message. Nous sommes fermés pour le moment. Dites-nous ce qu’il vous faut : nous vous répondrons dès notre retour.',
            },
          },
        ],
        next: 'email',
      },
      email: {
        title: 'Email of web visitors',
        steps: [
          {
            id: 's5',
            type: 'ask',
            answer: 'email',
            note: 'Only for visitors of the website: elsewhere the reply reaches them anyway.',
            text: {
              en: 'In case you’ve left the page by then: what’s your email address?',
              de: 'Falls Sie die Seite bis dahin verlassen: Wie lautet Ihre E-Mail-Adresse?',
              es: 'Por si ya no está en la página: ¿cuál es su correo electrónico?',
              pt: 'Caso você saia da página até lá: qual é o seu e-mail?',
              fr: 'Si vous quittez la page d’ici là : quelle est votre adresse e-mail ?',
            },
            store: 'contact.email',
            skipIf: {
              any: [
                { value: 'contact.email', op: 'isSet' },
                { value: 'conversation.channel', op: 'isNot', to: 'web' },
              ],
            },
            retry: { times: 0, then: 'end' },
            timeout: { after: 'PT4H', then: 'end' },
          },
          {
            id: 's6',
            type: 'branch',
            paths: [
              {
                title: 'Visitors of the website',
                when: { value: 'conversation.channel', op: 'is', to: 'web' },
                goto: 'thanks',
              },
            ],
            else: 'end',
          },
        ],
      },
      thanks: {
        title: 'Thanks',
        steps: [
          {
            id: 's7',
            type: 'send',
            text: {
              en: 'Thank you. You’ll hear from us.',
              de: 'Vielen Dank. Sie hören von uns.',
              es: 'Gracias. Le responderemos pronto.',
              pt: 'Obrigado! Em breve você terá a nossa resposta.',
              fr: 'Merci. Nous revenons vers vous.',
            },
          },
        ],
        next: 'end',
      },
    },
  },
  tests: [
    {
      name: 'A visitor is told when we open and leaves an email address',
      channel: 'web',
      language: 'en',
      at: '2026-11-23T20:00:00Z',
      contact: { email: '' },
      turns: [
        { say: 'Is my order on its way?' },
        { expect: { text: 'will be back', waits: 's5' } },
        { say: 'maria@example.org' },
        {
          expect: {
            text: 'You’ll hear from us',
            ended: 'completed',
            set: { 'contact.email': 'maria@example.org' },
            tags: ['need:out-of-hours'],
            never: ['undefined', '{{'],
          },
        },
      ],
    },
    {
      name: 'On WhatsApp one message is enough, even if no opening time is known',
      channel: 'whatsapp',
      language: 'fr',
      hours: 'closed',
      turns: [
        { say: 'Bonjour' },
        {
          expect: {
            text: 'Nous sommes fermés pour le moment',
            ended: 'completed',
            endReason: 'finished',
            handedOver: false,
          },
        },
      ],
    },
  ],
}
