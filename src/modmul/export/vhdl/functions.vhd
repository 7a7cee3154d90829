library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;

-- What VHDL-93 has no operators for.
package @{package} is
  function to_std_logic(condition : boolean) return std_logic;
  function choose(condition : boolean; a, b : std_logic) return std_logic;
  function choose(condition : boolean; a, b : unsigned) return unsigned;
  -- so many copies
  function copies(a : std_logic; count : positive) return unsigned;
  function copies(a : unsigned; count : positive) return unsigned;
  -- a bit as a number
  function to_unsigned(a : std_logic; size : positive) return unsigned;
  function and_reduce(a : unsigned) return std_logic;
  function or_reduce(a : unsigned) return std_logic;
  function xor_reduce(a : unsigned) return std_logic;
  -- the place in an array; 0 for an unknown value
  function to_index(a : std_logic) return natural;
  function to_index(a : unsigned) return natural;
end package;

package body @{package} is
  function to_std_logic(condition : boolean) return std_logic is
  begin
    if condition then
      return '1';
    else
      return '0';
    end if;
  end function;

  function choose(condition : boolean; a, b : std_logic) return std_logic is
  begin
    if condition then
      return a;
    else
      return b;
    end if;
  end function;

  function choose(condition : boolean; a, b : unsigned) return unsigned is
    alias first : unsigned(a'length - 1 downto 0) is a;
    alias second : unsigned(a'length - 1 downto 0) is b;
  begin
    if condition then
      return first;
    else
      return second;
    end if;
  end function;

  function copies(a : std_logic; count : positive) return unsigned is
    variable result : unsigned(count - 1 downto 0);
  begin
    result := (others => a);
    return result;
  end function;

  function copies(a : unsigned; count : positive) return unsigned is
    variable result : unsigned(count * a'length - 1 downto 0);
  begin
    for i in 0 to count - 1 loop
      result((i + 1) * a'length - 1 downto i * a'length) := a;
    end loop;
    return result;
  end function;

  function to_unsigned(a : std_logic; size : positive) return unsigned is
    variable result : unsigned(size - 1 downto 0);
  begin
    result := (others => '0');
    result(0) := a;
    return result;
  end function;

  function and_reduce(a : unsigned) return std_logic is
    variable result : std_logic;
  begin
    result := '1';
    for i in a'range loop
      result := result and a(i);
    end loop;
    return result;
  end function;

  function or_reduce(a : unsigned) return std_logic is
    variable result : std_logic;
  begin
    result := '0';
    for i in a'range loop
      result := result or a(i);
    end loop;
    return result;
  end function;

  function xor_reduce(a : unsigned) return std_logic is
    variable result : std_logic;
  begin
    result := '0';
    for i in a'range loop
      result := result xor a(i);
    end loop;
    return result;
  end function;

  function to_index(a : std_logic) return natural is
  begin
    if a = '1' then
      return 1;
    else
      return 0;
    end if;
  end function;

  function to_index(a : unsigned) return natural is
  begin
    -- pragma translate_off
    if is_x(std_logic_vector(a)) then
      return 0;
    end if;
    -- pragma translate_on
    return to_integer(a);
  end function;
end package body;
