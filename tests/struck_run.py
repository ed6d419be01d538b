"""One run with a fault, forked by the process of `forked_commands`."""

from fault_injection import be_the_child_of_a_small_process

be_the_child_of_a_small_process()
