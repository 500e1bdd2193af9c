/** The screens that are not part of the first script. */
import { Conversations } from './conversations.tsx';
import { Costs } from './costs.tsx';
import { Loops } from './loops.tsx';
import { Phases } from './phases.tsx';
import { Queues } from './queues.tsx';
import { Schedule } from './schedule.tsx';
import { Sessions } from './sessions.tsx';
import { Workers } from './workers.tsx';

export function MoreScreen(props: { readonly ws: string; readonly screen: string; readonly id: string }) {
  const { ws, screen, id } = props;
  switch (screen) {
    case 'costs':
      return <Costs ws={ws} />;
    case 'loops':
      return <Loops ws={ws} id={id} />;
    case 'sessions':
      return <Sessions ws={ws} id={id} />;
    case 'phases':
      return <Phases ws={ws} />;
    case 'conversations':
      return <Conversations ws={ws} id={id} />;
    case 'queues':
      return <Queues ws={ws} />;
    case 'workers':
      return <Workers ws={ws} />;
    default:
      return <Schedule ws={ws} />;
  }
}
